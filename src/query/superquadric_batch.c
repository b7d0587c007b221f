/**
 * @file superquadric_batch.c
 * @brief Ordinary pairs of the smooth family, several at a time (superquadric_flight.h): four,
 * eight where the machine has AVX-512, two in WebAssembly.
 */
#include <stddef.h>

#include "superquadric_newton.h"

// in WebAssembly vectors have no more than two doubles
#if defined(__wasm__)
#define OVI_WIDTH 2
#define OVI_NUM ovi_v2
#define OVI_MASK ovi_i2
#define OVI_NAME(x) x##_2
#define OVI_SQRT ovi_v2_sqrt
#define OVI_WHERE ovi_v2_select
#define OVI_OF ovi_v2_of
#define OVI_LANES(x) ovi_v2_##x
#else
#define OVI_WIDTH 4
#define OVI_NUM ovi_v4
#define OVI_MASK ovi_i4
#define OVI_NAME(x) x##_4
#define OVI_SQRT ovi_v4_sqrt
#define OVI_WHERE ovi_v4_select
#define OVI_OF ovi_v4_of
#define OVI_LANES(x) ovi_v4_##x
#endif
#include "superquadric_flight.h"

unsigned ovi_superquadric_group(const ovi_group *in) {
#if defined(__x86_64__)
    if (in->lanes == 8) {
        return ovi_superquadric_group_8(in);
    }
#endif
    return answer_group(in);
}
