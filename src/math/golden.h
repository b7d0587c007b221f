/**
 * @file golden.h
 * @brief Golden-section search for the maximum of a function of one variable.
 */
#ifndef OVI_GOLDEN_H
#define OVI_GOLDEN_H

typedef double (*ovi_scalar_function)(double x, const void *context);

/** A place and the value there. */
typedef struct ovi_peak {
    double x, value;
} ovi_peak;

/**
 * Best point met by `steps` steps on [lo, hi], each one evaluation that narrows the interval by
 * 0.618. Where the function has one maximum there, that is the limit; else it is one of them.
 */
static inline ovi_peak ovi_golden_max(ovi_scalar_function f, const void *context, double lo,
                                      double hi, int steps) {
    const double golden = 0.6180339887498949;
    double x = hi - golden * (hi - lo), y = lo + golden * (hi - lo);
    double fx = f(x, context), fy = f(y, context);
    for (int i = 0; i < steps; i++) {
        if (fx > fy) {
            hi = y;
            y = x;
            fy = fx;
            x = hi - golden * (hi - lo);
            fx = f(x, context);
        } else {
            lo = x;
            x = y;
            fx = fy;
            y = lo + golden * (hi - lo);
            fy = f(y, context);
        }
    }
    return fx > fy ? (ovi_peak){x, fx} : (ovi_peak){y, fy};
}

#endif
