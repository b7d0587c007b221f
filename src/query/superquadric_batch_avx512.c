/**
 * @file superquadric_batch_avx512.c
 * @brief Eight ordinary pairs of the smooth family at a time (superquadric_flight.h), for AVX-512.
 *
 * The whole file is compiled for it, since gcc makes scalar code of comparisons of vectors whose
 * types it met before it knew that the machine has them.
 */
#if defined(__x86_64__)

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma"))),        \
                             apply_to = function)
#else
#pragma GCC target("avx512f,avx512dq,avx512vl,avx2,fma,prefer-vector-width=512")
#endif

#include <stddef.h>

#include "superquadric_newton.h"

#define OVI_WIDTH 8
#include "superquadric_flight.h"

unsigned ovi_superquadric_group_8(const ovi_group *in) { return answer_group(in); }

#if defined(__clang__)
#pragma clang attribute pop
#endif

#else
typedef int ovi_no_avx512; // a file has a declaration
#endif
