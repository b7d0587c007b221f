/**
 * @file rounding_mode.h
 * @brief Calls that are made in another rounding mode run in rounding to nearest.
 *
 * All error bounds of the library are for rounding to nearest (docs/theory/rounding.md). A public
 * function that hands out bounds, or prepares what they are made of, begins with
 * OVI_ROUND_TO_NEAREST: in the usual case that costs two sums, else the function switches the mode,
 * calls itself, and switches back.
 */
#ifndef OVI_ROUNDING_MODE_H
#define OVI_ROUNDING_MODE_H

#include <fenv.h>
#include <stdbool.h>

/**
 * 1 + t and 1 - t both round to 1 in that mode alone. Asking the machine for its mode would wait
 * for all arithmetic under way, since the same register has its flags.
 */
static inline bool ovi_rounds_to_nearest(void) {
    volatile double unseen = 0x1p-60; // so that it is not the compiler that adds
    volatile double above = 1.0 + unseen, below = 1.0 - unseen; // and not in more than 53 bits
    return above == below;
}

/** Switches to nearest, and sets the mode to go back to; false where that cannot be done. */
static inline bool ovi_round_to_nearest_begin(int *mode) {
#if defined(FE_TONEAREST)
    *mode = fegetround();
    return fesetround(FE_TONEAREST) == 0 && ovi_rounds_to_nearest();
#else
    *mode = 0;
    return false;
#endif
}

static inline void ovi_round_to_nearest_end(int mode) {
#if defined(FE_TONEAREST)
    (void)fesetround(mode);
#else
    (void)mode;
#endif
}

/**
 * First line of a public function of that type: `call` is the function itself, with its own
 * arguments. The branch is called unlikely also so that the compiler does not inline the function
 * into itself, and its arithmetic past the switch.
 */
#define OVI_ROUND_TO_NEAREST(type, call)                                                           \
    do {                                                                                           \
        int ovi_mode;                                                                              \
        if (__builtin_expect(!ovi_rounds_to_nearest(), 0) &&                                       \
            ovi_round_to_nearest_begin(&ovi_mode)) {                                               \
            type ovi_answer = call;                                                                \
            ovi_round_to_nearest_end(ovi_mode);                                                    \
            return ovi_answer;                                                                     \
        }                                                                                          \
    } while (0)

#endif
