/* The names by which a template for lanes of any width is written, for OVI_WIDTH lanes: 1, 2, 4 or
 * 8, or f4 for four of single precision, with OVI_SINGLE defined. Included by each template
 * (lane_functions.h, superquadric_lanes.h, superquadric_flight.h); the names stay as they are until
 * the next one, only OVI_WIDTH and OVI_SINGLE are undefined by the template.
 *
 * OVI_NUM is the type of numbers, OVI_MASK that of comparisons, OVI_BITS that of bits. OVI_LANES(x)
 * is the function x of lanes.h, OVI_NAME(x) makes the template's own names. OVI_WHERE(mask, a, b)
 * chooses, OVI_OF(x) is a constant, OVI_SQRT the root; those there are for one lane too.
 */
#undef OVI_NUM
#undef OVI_MASK
#undef OVI_BITS
#undef OVI_LANES
#undef OVI_NAME
#undef OVI_WHERE
#undef OVI_OF
#undef OVI_SQRT

#ifndef OVI_JOIN
#define OVI_JOIN_NOW(a, b) a##b
#define OVI_JOIN(a, b) OVI_JOIN_NOW(a, b)
#endif

#define OVI_NAME(x) OVI_JOIN(x##_, OVI_WIDTH)
#if OVI_WIDTH == 1 && !defined(OVI_SINGLE)
#define OVI_NUM double
#define OVI_MASK int
#define OVI_WHERE(mask, a, b) ((mask) ? (a) : (b))
#define OVI_OF(x) (x)
#define OVI_SQRT sqrt
#else
#define OVI_NUM OVI_JOIN(ovi_v, OVI_WIDTH)
#define OVI_MASK OVI_JOIN(ovi_i, OVI_WIDTH)
#define OVI_BITS OVI_JOIN(ovi_u, OVI_WIDTH)
#define OVI_LANES(x) OVI_JOIN(OVI_NUM, _##x)
#define OVI_WHERE OVI_LANES(select)
#define OVI_OF OVI_LANES(of)
#define OVI_SQRT OVI_LANES(sqrt)
#endif
