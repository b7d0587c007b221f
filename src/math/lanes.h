/**
 * @file lanes.h
 * @brief Two and four doubles at once, with logarithm and power of two.
 *
 * Written with the vector types of gcc and clang, so the same source becomes SSE2, AVX2 with FMA,
 * or plain scalar code (WebAssembly), whichever the calling function is compiled for. All functions
 * are inlined into it.
 *
 * Powers: x = 2^k z with z in [sqrt 1/2, sqrt 2), log2 z = 2/ln 2 atanh((z-1)/(z+1)) as a
 * polynomial of degree 7 in the square; 2^f on [-1/2, 1/2] as a polynomial of degree 11. Both are
 * minimax fits. The error of log2 is below 4e-16 (1 + |log2 x|), the relative one of exp2 below
 * 4e-16; so that of x^y by both is below 4e-16 (1 + |y| + |y log2 x|).
 */
#ifndef OVI_LANES_H
#define OVI_LANES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define OVI_INLINE static inline __attribute__((always_inline))

typedef double ovi_v2 __attribute__((vector_size(16)));
typedef int64_t ovi_i2 __attribute__((vector_size(16)));
typedef double ovi_v4 __attribute__((vector_size(32)));
typedef int64_t ovi_i4 __attribute__((vector_size(32)));

// vectors wider than the machine's have no fixed calling convention; nothing here is ever called
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpsabi"
#elif defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

#if defined(__x86_64__)
/** May functions that are compiled for AVX2 and FMA be called on this machine? */
OVI_INLINE bool ovi_has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

/**
 * Makes a function of an inlined one, `inner`, compiled twice where that pays: for AVX2 with FMA,
 * and for any machine; which one runs is chosen by the call. `linkage` is static or nothing.
 */
#if defined(__x86_64__)
#define OVI_DISPATCH(linkage, type, name, inner, parameters, arguments)                            \
    __attribute__((target("avx2,fma"))) static type name##_avx2 parameters {                       \
        return inner arguments;                                                                    \
    }                                                                                              \
    static __attribute__((noinline)) type name##_plain parameters { return inner arguments; }      \
    linkage type name parameters {                                                                 \
        return ovi_has_avx2() ? name##_avx2 arguments : name##_plain arguments;                    \
    }
#else
#define OVI_DISPATCH(linkage, type, name, inner, parameters, arguments)                            \
    linkage type name parameters { return inner arguments; }
#endif

OVI_INLINE ovi_v4 ovi_v4_of(double x) { return (ovi_v4){x, x, x, x}; }
OVI_INLINE ovi_v2 ovi_v2_of(double x) { return (ovi_v2){x, x}; }

/** mask ? a : b, lane by lane; masks are the results of comparisons. */
OVI_INLINE ovi_v4 ovi_v4_select(ovi_i4 mask, ovi_v4 a, ovi_v4 b) {
    return (ovi_v4)((mask & (ovi_i4)a) | (~mask & (ovi_i4)b));
}
OVI_INLINE ovi_v2 ovi_v2_select(ovi_i2 mask, ovi_v2 a, ovi_v2 b) {
    return (ovi_v2)((mask & (ovi_i2)a) | (~mask & (ovi_i2)b));
}

OVI_INLINE ovi_v4 ovi_v4_abs(ovi_v4 a) {
    const ovi_i4 mask = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    return (ovi_v4)((ovi_i4)a & mask);
}
OVI_INLINE ovi_v4 ovi_v4_copysign(ovi_v4 a, ovi_v4 sign) {
    const ovi_i4 mask = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};
    return (ovi_v4)(((ovi_i4)a & ~mask) | ((ovi_i4)sign & mask));
}
#if defined(__SSE2__)
OVI_INLINE ovi_v2 ovi_v2_sqrt(ovi_v2 a) { return __builtin_ia32_sqrtpd(a); }
#else
OVI_INLINE ovi_v2 ovi_v2_sqrt(ovi_v2 a) { return (ovi_v2){sqrt(a[0]), sqrt(a[1])}; }
#endif
OVI_INLINE ovi_v4 ovi_v4_sqrt(ovi_v4 a) {
    ovi_v2 low = ovi_v2_sqrt(__builtin_shufflevector(a, a, 0, 1));
    ovi_v2 high = ovi_v2_sqrt(__builtin_shufflevector(a, a, 2, 3));
    return __builtin_shufflevector(low, high, 0, 1, 2, 3);
}

/** log2 of positive normal numbers. */
OVI_INLINE ovi_v4 ovi_v4_log2(ovi_v4 x) {
    const int64_t root_half = 0x3fe6a09e667f3bcd; // the bits of sqrt 1/2
    ovi_i4 bits = (ovi_i4)x, above = bits - root_half;
    ovi_v4 z = (ovi_v4)(bits - (above & (int64_t)0xfff0000000000000));
    // a small integer becomes a double by way of the mantissa's last bits
    ovi_v4 k = (ovi_v4)((above >> 52) + (int64_t)0x4338000000000000) - 0x1.8p52;
    ovi_v4 s = (z - 1.0) / (z + 1.0), w = s * s, w2 = w * w, w4 = w2 * w2;
    ovi_v4 p0 = 0x1.71547652b82fep+1 + w * 0x1.ec709dc3a047dp-1;
    ovi_v4 p1 = 0x1.2776c50ee39dcp-1 + w * 0x1.a61762d693934p-2;
    ovi_v4 p2 = 0x1.484afb7a67652p-2 + w * 0x1.0ca160627dbfcp-2;
    ovi_v4 p3 = 0x1.c46e1440404d7p-3 + w * 0x1.b592d3c48c41cp-3;
    return k + s * ((p0 + w2 * p1) + w4 * (p2 + w2 * p3));
}

/** 2^y for y in [-1022, 1023]. */
OVI_INLINE ovi_v4 ovi_v4_exp2(ovi_v4 y) {
    ovi_v4 shifted = y + 0x1.8p52;
    ovi_i4 k = (ovi_i4)shifted;
    ovi_v4 f = y - (shifted - 0x1.8p52), f2 = f * f, f4 = f2 * f2;
    ovi_v4 p0 = 0x1.62e42fefa39efp-1 + f * 0x1.ebfbdff82c598p-3;
    ovi_v4 p1 = 0x1.c6b08d704a0c2p-5 + f * 0x1.3b2ab6fba1ddap-7;
    ovi_v4 p2 = 0x1.5d87fe78a5276p-10 + f * 0x1.430913096fd9fp-13;
    ovi_v4 p3 = 0x1.ffcbfc670dcd4p-17 + f * 0x1.62bfd47773353p-20;
    ovi_v4 p4 = 0x1.b524fae627834p-24 + f * 0x1.e6063f7217bc6p-28;
    ovi_v4 p = (p0 + f2 * p1) + f4 * ((p2 + f2 * p3) + f4 * (p4 + f2 * 0x1.e9d3fe3952179p-32));
    ovi_v4 scale = (ovi_v4)((k << 52) + (int64_t)0x3ff0000000000000);
    return scale + scale * (f * p);
}

#endif
