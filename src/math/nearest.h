/**
 * @file nearest.h
 * @brief Calls that are made in another rounding mode run in rounding to nearest.
 *
 * All error bounds of the library are for rounding to nearest (docs/theory/rounding.md). A public
 * function that hands out bounds, or prepares what they are made of, begins with OVI_NEAREST: in
 * the usual case that is two sums, else the function calls itself in between a switch
 * of the mode and one back.
 */
#ifndef OVI_NEAREST_H
#define OVI_NEAREST_H

#include <fenv.h>
#include <stdbool.h>

/**
 * 1 + t and 1 - t both round to 1 in that mode alone. Asking the machine for its mode would wait
 * for all arithmetic under way, since the same register has its flags.
 */
static inline bool ovi_rounds_to_nearest(void) {
    volatile double unseen = 0x1p-60; // so that it is not the compiler that adds
    double t = unseen;
    return 1.0 + t == 1.0 - t;
}

/** Switches to nearest; returns the mode to go back to. */
static inline int ovi_nearest_begin(void) {
#if defined(FE_TONEAREST)
    int mode = fegetround();
    (void)fesetround(FE_TONEAREST);
    return mode;
#else
    return 0;
#endif
}

static inline void ovi_nearest_end(int mode) {
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
#define OVI_NEAREST(type, call)                                                                    \
    do {                                                                                           \
        if (__builtin_expect(!ovi_rounds_to_nearest(), 0)) {                                       \
            int ovi_mode = ovi_nearest_begin();                                                    \
            type ovi_answer = call;                                                                \
            ovi_nearest_end(ovi_mode);                                                             \
            return ovi_answer;                                                                     \
        }                                                                                          \
    } while (0)

#endif
