/**
 * @file superquadric_batch.c
 * @brief Ordinary pairs of the smooth family, several at a time (superquadric_flight.h): four,
 * eight where the machine has AVX-512, two times two in WebAssembly.
 */
#include <stddef.h>

// a batch has to be quick, even where a module is to be small
#define OVI_CURVES OVI_INLINE
#include "superquadric_newton.h"

// in WebAssembly vectors have no more than two doubles, or four floats
#if defined(__wasm__)
#define OVI_WIDTH f4
#define OVI_SINGLE
#include "superquadric_lanes.h"
#define OVI_WIDTH 2
#else
#define OVI_WIDTH 4
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
