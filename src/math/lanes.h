/**
 * @file lanes.h
 * @brief Two, four and eight doubles at once, or four floats, with logarithm and power of two.
 *
 * Written with the vector types of gcc and clang, so the same source becomes SSE2, AVX2 with FMA,
 * AVX-512 or SIMD128 (WebAssembly), whichever the calling function is compiled for; a vector that
 * is wider than the machine's becomes several. All functions are inlined into it. Most are one
 * source for every width, lane_functions.h.
 *
 * Powers: x = 2^k z with z in [sqrt 1/2, sqrt 2), log2 z = 2/ln 2 atanh((z-1)/(z+1)) as a
 * polynomial of degree 7 in the square; 2^f on [-1/2, 1/2] as a polynomial of degree 11. Both are
 * minimax fits. The error of log2 is below 4e-16 (1 + |log2 x|), the relative one of exp2 below
 * 4e-16; so that of x^y by both is below 4e-16 (1 + |y| + |y log2 x|). The second power of a norm,
 * of a number from 1 to 2, needs no 2^k, and was seen off by less than 9e-16.
 *
 * Floats have shorter polynomials, and errors of the same form with 4e-7 in place of 4e-16. They
 * are for vectors of 16 bytes, where twice as many of them fit, and for what is not proven with
 * them.
 */
#ifndef OVI_LANES_H
#define OVI_LANES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define OVI_INLINE static inline __attribute__((always_inline))
/** As OVI_INLINE, of what is large and used in many places: called, where a module is to be small.
 *  The results are the same. */
#if defined(__wasm__) && defined(__OPTIMIZE_SIZE__)
#define OVI_SHARED static __attribute__((noinline, unused))
#else
#define OVI_SHARED OVI_INLINE
#endif

typedef double ovi_v2 __attribute__((vector_size(16)));
typedef int64_t ovi_i2 __attribute__((vector_size(16)));
typedef uint64_t ovi_u2 __attribute__((vector_size(16)));
typedef double ovi_v4 __attribute__((vector_size(32)));
typedef int64_t ovi_i4 __attribute__((vector_size(32)));
typedef uint64_t ovi_u4 __attribute__((vector_size(32)));
typedef double ovi_v8 __attribute__((vector_size(64)));
typedef int64_t ovi_i8 __attribute__((vector_size(64)));
typedef uint64_t ovi_u8 __attribute__((vector_size(64)));
typedef float ovi_vf4 __attribute__((vector_size(16)));
typedef int32_t ovi_if4 __attribute__((vector_size(16)));
typedef uint32_t ovi_uf4 __attribute__((vector_size(16)));

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
OVI_INLINE bool ovi_has_avx512(void) {
    return ovi_has_avx2() && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
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
/** Wide vectors, which GCC has to be asked for; clang 14 does not know that word. */
#if defined(__clang__)
#define OVI_TARGET_WIDE "avx512f,avx512dq,avx512vl,fma"
#else
#define OVI_TARGET_WIDE "avx512f,avx512dq,avx512vl,fma,prefer-vector-width=512"
#endif
/** The same, and a third time for AVX-512: loops over many floats. */
#define OVI_DISPATCH_WIDE(linkage, type, name, inner, parameters, arguments)                       \
    __attribute__((target(OVI_TARGET_WIDE))) static type name##_avx512 parameters {                \
        return inner arguments;                                                                    \
    }                                                                                              \
    OVI_DISPATCH(static, type, name##_narrow, inner, parameters, arguments)                        \
    linkage type name parameters {                                                                 \
        return ovi_has_avx512() ? name##_avx512 arguments : name##_narrow arguments;               \
    }
#else
#define OVI_DISPATCH(linkage, type, name, inner, parameters, arguments)                            \
    linkage type name parameters { return inner arguments; }
#define OVI_DISPATCH_WIDE OVI_DISPATCH
#endif

OVI_INLINE ovi_v4 ovi_v4_of(double x) { return (ovi_v4){x, x, x, x}; }
OVI_INLINE ovi_v2 ovi_v2_of(double x) { return (ovi_v2){x, x}; }
OVI_INLINE ovi_v8 ovi_v8_of(double x) { return (ovi_v8){x, x, x, x, x, x, x, x}; }
OVI_INLINE ovi_vf4 ovi_vf4_of(float x) { return (ovi_vf4){x, x, x, x}; }

#if defined(__SSE2__)
OVI_INLINE ovi_v2 ovi_v2_sqrt(ovi_v2 a) { return __builtin_ia32_sqrtpd(a); }
#elif defined(__wasm_simd128__)
OVI_INLINE ovi_v2 ovi_v2_sqrt(ovi_v2 a) { return __builtin_wasm_sqrt_f64x2(a); }
#else
OVI_INLINE ovi_v2 ovi_v2_sqrt(ovi_v2 a) { return (ovi_v2){sqrt(a[0]), sqrt(a[1])}; }
#endif
OVI_INLINE ovi_v4 ovi_v4_sqrt(ovi_v4 a) {
    ovi_v2 low = ovi_v2_sqrt(__builtin_shufflevector(a, a, 0, 1));
    ovi_v2 high = ovi_v2_sqrt(__builtin_shufflevector(a, a, 2, 3));
    return __builtin_shufflevector(low, high, 0, 1, 2, 3);
}

/** One instruction, or as few as the machine's vectors are wide, where errno need not be set. */
OVI_INLINE ovi_v8 ovi_v8_sqrt(ovi_v8 a) {
    return (ovi_v8){sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3]),
                    sqrt(a[4]), sqrt(a[5]), sqrt(a[6]), sqrt(a[7])};
}

/** The same of floats. */
OVI_INLINE ovi_vf4 ovi_vf4_sqrt(ovi_vf4 a) {
#if defined(__wasm_simd128__)
    return __builtin_wasm_sqrt_f32x4(a);
#else
    return (ovi_vf4){sqrtf(a[0]), sqrtf(a[1]), sqrtf(a[2]), sqrtf(a[3])};
#endif
}

/** Doubles rounded to floats, and back, the lower or the upper two of them. */
OVI_INLINE ovi_vf4 ovi_vf4_round(ovi_v2 low, ovi_v2 high) {
    return __builtin_convertvector(__builtin_shufflevector(low, high, 0, 1, 2, 3), ovi_vf4);
}
OVI_INLINE ovi_v2 ovi_vf4_widen(ovi_vf4 a, bool upper) {
    typedef float two __attribute__((vector_size(8)));
    two part = upper ? __builtin_shufflevector(a, a, 2, 3) : __builtin_shufflevector(a, a, 0, 1);
    return __builtin_convertvector(part, ovi_v2);
}
/** Masks of doubles for floats. */
OVI_INLINE ovi_if4 ovi_vf4_mask(ovi_i2 low, ovi_i2 high) {
    return __builtin_shufflevector((ovi_if4)low, (ovi_if4)high, 0, 2, 4, 6);
}

#define OVI_WIDTH f4
#define OVI_SINGLE
#include "lane_functions.h"
#define OVI_WIDTH 2
#include "lane_functions.h"
#define OVI_WIDTH 4
#if defined(__wasm__)
#define OVI_HALVES // vectors have no more than two doubles there
#endif
#include "lane_functions.h"
#define OVI_WIDTH 8
#include "lane_functions.h"

#endif
