/* Included by lanes.h once for each width of vectors: choices, signs, logarithm and power of two.
 */
#include "lane_names.h"

// The layout of a number: its bits but the sign, those of the mantissa, and how many these are; one
// and the root of a half; the bias of exponents; the power of two whose last bit is worth one, and
// one and a half of it.
#undef OVI_UNSIGNED
#undef OVI_NO_SIGN
#undef OVI_SIGN
#undef OVI_DIGITS
#undef OVI_ONE
#undef OVI_ROOT_HALF
#undef OVI_ROOT_2
#undef OVI_BIAS
#undef OVI_WHOLE
#undef OVI_WHOLE_BITS
#undef OVI_SHIFT
#if defined(OVI_SINGLE)
#define OVI_UNSIGNED uint32_t
#define OVI_NO_SIGN INT32_MAX
#define OVI_SIGN INT32_MIN
#define OVI_DIGITS 23
#define OVI_ONE 0x3f800000
#define OVI_ROOT_HALF 0x3f3504f3
#define OVI_ROOT_2 0x1.6a09e6p+0f
#define OVI_BIAS 127.0f
#define OVI_WHOLE 0x1p23f
#define OVI_WHOLE_BITS 0x4b000000
#define OVI_SHIFT 0x1.8p23f
#else
#define OVI_UNSIGNED uint64_t
#define OVI_NO_SIGN INT64_MAX
#define OVI_SIGN INT64_MIN
#define OVI_DIGITS 52
#define OVI_ONE 0x3ff0000000000000
#define OVI_ROOT_HALF 0x3fe6a09e667f3bcd
#define OVI_ROOT_2 0x1.6a09e667f3bcdp+0
#define OVI_BIAS 1023.0
#define OVI_WHOLE 0x1p52
#define OVI_WHOLE_BITS 0x4330000000000000
#define OVI_SHIFT 0x1.8p52
#endif

/** mask ? a : b, lane by lane; masks are the results of comparisons. */
OVI_INLINE OVI_NUM OVI_LANES(select)(OVI_MASK mask, OVI_NUM a, OVI_NUM b) {
    return (OVI_NUM)((mask & (OVI_MASK)a) | (~mask & (OVI_MASK)b));
}

OVI_INLINE OVI_NUM OVI_LANES(abs)(OVI_NUM a) { return (OVI_NUM)((OVI_MASK)a & OVI_NO_SIGN); }
OVI_INLINE OVI_NUM OVI_LANES(copysign)(OVI_NUM a, OVI_NUM sign) {
    return (OVI_NUM)(((OVI_MASK)a & OVI_NO_SIGN) | ((OVI_MASK)sign & OVI_SIGN));
}

#if defined(OVI_SINGLE)

/** log2 z of s = (z - 1)/(z + 1), |s| <= 0.1716: z between sqrt 1/2 and sqrt 2. */
OVI_INLINE OVI_NUM OVI_LANES(log2_series)(OVI_NUM s) {
    OVI_NUM w = s * s;
    return s * (2.88539042f + w * (0.961588947f + w * 0.595759607f));
}

/** 2^f - 1 for f in [-1/2, 1/2]. */
OVI_INLINE OVI_NUM OVI_LANES(exp2_series)(OVI_NUM f) {
    OVI_NUM f2 = f * f, p0 = 0.693147181f + f * 0.24022349f;
    return f * (p0 + f2 * ((0.0555038101f + f * 0.00966636852f) + f2 * 0.00133813025f));
}

#else

OVI_INLINE OVI_NUM OVI_LANES(log2_series)(OVI_NUM s) {
    OVI_NUM w = s * s, w2 = w * w, w4 = w2 * w2;
    OVI_NUM p0 = 0x1.71547652b82fep+1 + w * 0x1.ec709dc3a047dp-1;
    OVI_NUM p1 = 0x1.2776c50ee39dcp-1 + w * 0x1.a61762d693934p-2;
    OVI_NUM p2 = 0x1.484afb7a67652p-2 + w * 0x1.0ca160627dbfcp-2;
    OVI_NUM p3 = 0x1.c46e1440404d7p-3 + w * 0x1.b592d3c48c41cp-3;
    return s * ((p0 + w2 * p1) + w4 * (p2 + w2 * p3));
}

OVI_INLINE OVI_NUM OVI_LANES(exp2_series)(OVI_NUM f) {
    OVI_NUM f2 = f * f, f4 = f2 * f2;
    OVI_NUM p0 = 0x1.62e42fefa39efp-1 + f * 0x1.ebfbdff82c598p-3;
    OVI_NUM p1 = 0x1.c6b08d704a0c2p-5 + f * 0x1.3b2ab6fba1ddap-7;
    OVI_NUM p2 = 0x1.5d87fe78a5276p-10 + f * 0x1.430913096fd9fp-13;
    OVI_NUM p3 = 0x1.ffcbfc670dcd4p-17 + f * 0x1.62bfd47773353p-20;
    OVI_NUM p4 = 0x1.b524fae627834p-24 + f * 0x1.e6063f7217bc6p-28;
    return f * ((p0 + f2 * p1) + f4 * ((p2 + f2 * p3) + f4 * (p4 + f2 * 0x1.e9d3fe3952179p-32)));
}

#endif

#if defined(OVI_HALVES)

/** Both halves of a vector, each by the function of two lanes. */
#define OVI_HALF(x, i) __builtin_shufflevector(x, x, 2 * (i), 2 * (i) + 1)
#define OVI_JOINED(low, high) __builtin_shufflevector(low, high, 0, 1, 2, 3)
OVI_INLINE OVI_NUM OVI_LANES(log2)(OVI_NUM x) {
    return OVI_JOINED(ovi_v2_log2(OVI_HALF(x, 0)), ovi_v2_log2(OVI_HALF(x, 1)));
}
OVI_INLINE OVI_NUM OVI_LANES(exp2)(OVI_NUM y) {
    return OVI_JOINED(ovi_v2_exp2(OVI_HALF(y, 0)), ovi_v2_exp2(OVI_HALF(y, 1)));
}
OVI_INLINE OVI_NUM OVI_LANES(root)(OVI_NUM x, OVI_NUM y) {
    return OVI_JOINED(ovi_v2_root(OVI_HALF(x, 0), OVI_HALF(y, 0)),
                      ovi_v2_root(OVI_HALF(x, 1), OVI_HALF(y, 1)));
}

#else

/** log2 of positive normal numbers. */
OVI_SHARED OVI_NUM OVI_LANES(log2)(OVI_NUM x) {
    const OVI_UNSIGNED root_half = OVI_ROOT_HALF, mantissa = ((OVI_UNSIGNED)1 << OVI_DIGITS) - 1;
    // bits whose exponent is that of x over z, and whose mantissa is that of z over sqrt 1/2
    OVI_BITS bits = (OVI_BITS)x + (OVI_ONE - root_half);
    OVI_NUM z = (OVI_NUM)((bits & mantissa) + root_half);
    // a small integer becomes a double by way of the mantissa's last bits
    OVI_NUM k = (OVI_NUM)((bits >> OVI_DIGITS) + OVI_WHOLE_BITS) - (OVI_WHOLE + OVI_BIAS);
    return k + OVI_LANES(log2_series)((z - 1.0) / (z + 1.0));
}

/** 2^y for y in [-1022, 1023], or [-126, 127]. */
OVI_SHARED OVI_NUM OVI_LANES(exp2)(OVI_NUM y) {
    OVI_NUM shifted = y + OVI_SHIFT;
    OVI_MASK k = (OVI_MASK)shifted;
    OVI_NUM f = y - (shifted - OVI_SHIFT);
    OVI_NUM scale = (OVI_NUM)((k << OVI_DIGITS) + OVI_ONE);
    return scale + scale * OVI_LANES(exp2_series)(f);
}

/** x^y for x in [1, 2] and y in [-1, 0]: nothing to reduce. The relative error that
 * tests see is below 9e-16; docs/theory/rounding.md derives a bound. */
OVI_SHARED OVI_NUM OVI_LANES(root)(OVI_NUM x, OVI_NUM y) {
    const OVI_NUM root_2 = OVI_OF(OVI_ROOT_2), root_half = 0.5 * root_2;
    // log2 x is a half more than log2 of x over the root of 2, and y log2 x a half less than f
    OVI_NUM f = 0.5 + 0.5 * y + y * OVI_LANES(log2_series)((x - root_2) / (x + root_2));
    return root_half + root_half * OVI_LANES(exp2_series)(f);
}

#endif

#undef OVI_WIDTH
#undef OVI_SINGLE
#undef OVI_HALVES
