/**
 * @file p_norm.h
 * @brief The p-norm of two numbers, with derivatives, for every p from 1 to infinity.
 *
 * It is the one power kernel of the library: the gauge of a superquadric is a p-norm of a p-norm,
 * and its support function is the same with the dual exponents, so both are built from the function
 * here, at two powers each.
 *
 * With M >= m >= 0 the larger and smaller of |u|, |v|, and r = m/M in [0, 1]:
 *
 *     s = r^(p-1),  t = r s = r^p,  W = (1 + t)^(1/p - 1)
 *     N    = (M^p + m^p)^(1/p)       = M (1 + t) W
 *     N_M  = (M/N)^(p-1)             = W
 *     N_m  = (m/N)^(p-1)             = s W
 *     N_MM = (p-1) t W / (M (1+t))
 *     N_Mm = -(p-1) s W / (M (1+t))
 *     N_mm = (p-1) (s/r) W / (M (1+t))
 *
 * Nothing overflows or cancels. Limits: p = infinity gives the maximum norm (a tie shares evenly
 * between the two), p = 1 the sum. At r = 0 the entry N_mm is 0 for p > 2, finite at 2, infinite
 * for 1 < p < 2 (an edge of the level set) and undefined at p = 1; the last two are told by `edge`.
 */
#ifndef OVI_P_NORM_H
#define OVI_P_NORM_H

#include <math.h>
#include <stdbool.h>

#include "power.h"

/** Exponent of a norm, as the two differences that would cancel if formed from p itself. */
typedef struct ovi_exponent {
    double minus_1; /**< p - 1 */
    double inverse; /**< 1/p */
} ovi_exponent;

/** Primal exponent 2/e of a squareness. */
static inline ovi_exponent ovi_primal(double e) { return (ovi_exponent){(2.0 - e) / e, 0.5 * e}; }

/** Dual exponent 2/(2-e) of a squareness. */
static inline ovi_exponent ovi_dual(double e) {
    return (ovi_exponent){e / (2.0 - e), 1.0 - 0.5 * e};
}

/** Value and gradient; by `u` and `v` themselves, signs included. */
typedef struct ovi_p_norm {
    double value;
    double du, dv;
} ovi_p_norm;

typedef struct ovi_p_norm_hessian {
    double uu, uv, vv;
    bool edge;
} ovi_p_norm_hessian;

/** c ? a : b without a branch: which of two numbers is larger is a coin toss for a predictor. */
static inline double ovi_select(bool c, double a, double b) {
    uint64_t mask = (uint64_t)0 - (uint64_t)c;
    return ovi_from_bits((ovi_bits(a) & mask) | (ovi_bits(b) & ~mask));
}

/** What the value and both derivatives are made of; `swapped` where |v| > |u|. */
typedef struct ovi_p_norm_parts {
    double big, r, s, t, w;
    bool swapped;
} ovi_p_norm_parts;

static inline ovi_p_norm_parts ovi_p_norm_split(double u, double v, ovi_exponent e) {
    double au = fabs(u), av = fabs(v);
    ovi_p_norm_parts n = {.swapped = av > au, .big = av > au ? av : au, .w = 1.0};
    double small = av > au ? au : av;
    if (small == 0.0) {
        n.s = e.minus_1 == 0.0 ? 1.0 : 0.0;
        return n;
    }
    n.r = small / n.big;
    // a finite stand-in for the infinite power: 0 below one, 1 at one
    double power = e.minus_1 < 1e300 ? e.minus_1 : 1e300;
    n.s = power == 1.0 ? n.r : ovi_exp2(power * ovi_log2(n.r));
    n.t = n.r * n.s;
    n.w = e.inverse == 0.5 ? 1.0 / sqrt(1.0 + n.t)
                           : ovi_exp2_normal((e.inverse - 1.0) * ovi_log2_normal(1.0 + n.t));
    return n;
}

static inline ovi_p_norm ovi_p_norm_gradient(double u, double v, const ovi_p_norm_parts *n) {
    double big = n->w, small = n->r == 0.0 ? 0.0 : n->s * n->w;
    ovi_p_norm out;
    out.value = n->big * (1.0 + n->t) * n->w;
    out.du = copysign(ovi_select(n->swapped, small, big), u);
    out.dv = copysign(ovi_select(n->swapped, big, small), v);
    if (n->big == 0.0) {
        out.du = out.dv = 0.0;
    }
    return out;
}

/** Second derivatives; an infinite one is set to zero and told by `edge`. At N = 0 all are zero. */
static inline ovi_p_norm_hessian ovi_p_norm_second(double u, double v, ovi_exponent e,
                                                   const ovi_p_norm_parts *n) {
    ovi_p_norm_hessian h = {0.0, 0.0, 0.0, false};
    if (n->big == 0.0) {
        h.edge = true;
        return h;
    }
    if (isinf(e.minus_1)) {
        h.edge = n->r == 1.0;
        return h;
    }
    double c = e.minus_1 * n->w / (n->big * (1.0 + n->t));
    // a power that is zero wins over a factor that is infinite
    double big_big = n->t == 0.0 ? 0.0 : c * n->t;
    double mixed = n->r == 0.0 || n->s == 0.0 ? 0.0 : -c * n->s;
    double small_small = 0.0;
    if (n->r > 0.0) {
        small_small = n->s == 0.0 || c == 0.0 ? 0.0 : c * (n->s / n->r);
        if (isinf(small_small)) {
            small_small = 0.0;
            h.edge = true;
        }
    } else if (e.inverse == 0.5) {
        small_small = c;
    } else {
        h.edge = e.inverse > 0.5;
    }
    h.uu = ovi_select(n->swapped, small_small, big_big);
    h.vv = ovi_select(n->swapped, big_big, small_small);
    h.uv = mixed * copysign(1.0, u) * copysign(1.0, v);
    return h;
}

#endif
