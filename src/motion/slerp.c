/**
 * @file slerp.c
 * @brief Slerp through keys, with bounds of its rounding.
 *
 * A segment turns about a constant axis of the world: R(t) = exp(f (t - t_i) [axis]x) R_i. Its axis
 * and angle are those of r = q[i+1] q[i]*, the angle by the arc tangent of |vector| and scalar:
 * neither loses digits, near no turn or near half of one. Which of q and -q is nearer to the key
 * before is decided without rounding, as the two give quite different motions where they are both
 * about half a turn away.
 *
 * Rounding, as lengths of errors of quaternions, in units of eps: a key 2.5; r 5 from the keys and
 * 4 of its own; half the angle 9 from r, 1 from the length of its vector and 7 from the arc
 * tangent; the axis 9 / sin(angle / 2) from r, and 2. At half the angle a, not above angle / 2 <=
 * pi / 2: from the axis (9 + 2) sin a / sin(angle / 2) <= 11, from the angle 17, from a's own
 * rounding 3 a <= 5, from sine and cosine (4 ulp each) 4, from the product with the key 4, from the
 * key 2.5; 44 in all. An error e of a unit quaternion changes its matrix I + 2 w [v]x + 2 [v]x^2 by
 * at most 2 sqrt(2) e + 4 e. So the error of a rotation is 7 * 44 eps, or less. A spin has an error
 * of (11 (angle / sin(angle / 2)) + 2 * 17 + 3 pi) / h <= 79 eps / h.
 *
 * The bounds: for a constant spin f, |exp(s [f]x) - 1 - s [f]x| <= s^2 |f|^2 / 2; for any spin of
 * at most f, |R(t) - R| <= |s| f; and two rotations that begin as one and go on with spins f and g
 * part by no more than |f - g| times the time.
 */
#include <float.h>
#include <math.h>
#include <stdint.h>

#include <ovoid/math.h>

#include "slerp.h"

#define ROTATION_ERROR (320.0 * DBL_EPSILON)
#define SPIN_ERROR (96.0 * DBL_EPSILON)
#define GROWTH (1.0 + 16.0 * DBL_EPSILON)
/** Angular speeds above this are refused: their squares stay finite. */
#define SPEED_MAX 1e140

/* ---- which of q and -q */

/** Sum of a and b, and what was lost in it. */
static double two_sum(double a, double b, double *lost) {
    double sum = a + b, part = sum - a;
    *lost = (a - (sum - part)) + (b - part);
    return sum;
}

/**
 * Sign of the scalar product of two quaternions, without rounding: each product is split into two
 * numbers, and the sum of these is kept as numbers that do not overlap [exact as long as nothing
 * underflows, which takes components that differ by more than 1e140].
 */
static double exact_dot(const double a[4], const double b[4]) {
    double sum[9] = {0.0};
    size_t count = 0;
    for (size_t i = 0; i < 4; i++) {
        double high = a[i] * b[i], terms[2] = {fma(a[i], b[i], -high), high};
        for (size_t j = 0; j < 2; j++) {
            double rest = terms[j];
            for (size_t k = 0; k < count; k++) {
                rest = two_sum(sum[k], rest, &sum[k]);
            }
            sum[count++] = rest;
        }
    }
    // the last that is not zero is larger than all before it together
    for (size_t k = count; k-- > 0;) {
        if (sum[k] != 0.0) {
            return sum[k];
        }
    }
    return 0.0;
}

/** By a power of two, so without rounding: the largest component is then near 1. */
static void scaled(ov_quat q, double out[4]) {
    int e;
    (void)frexp(fmax(fmax(fabs(q.w), fabs(q.x)), fmax(fabs(q.y), fabs(q.z))), &e);
    const double parts[4] = {q.w, q.x, q.y, q.z};
    for (size_t i = 0; i < 4; i++) {
        out[i] = ldexp(parts[i], -e);
    }
}

/** Is -b nearer to a than b? Both as given. */
static bool is_opposite(ov_quat a, ov_quat b) {
    double x[4], y[4];
    scaled(a, x);
    scaled(b, y);
    double dot = x[0] * y[0] + x[1] * y[1] + x[2] * y[2] + x[3] * y[3];
    return (fabs(dot) > 1e-12 ? dot : exact_dot(x, y)) < 0.0;
}

/* ---- making */

size_t ovi_slerp_doubles(size_t count) {
    // a key: its quaternion, the arc after it, and two nodes of the tree
    const size_t key = 4 + 4 + 2;
    return count >= 2 && count <= PTRDIFF_MAX / sizeof(double) / key ? count * key : 0;
}

void ovi_slerp_place(ovi_slerp *slerp, size_t count, const double *times, double *block) {
    *slerp = (ovi_slerp){count, times, (ov_quat *)(void *)block,
                         (ovi_arc *)(void *)(block + 4 * count), block + 8 * count};
}

static ovi_arc arc_between(ov_quat from, ov_quat to) {
    ov_quat r = ov_quat_mul(to, ov_quat_conjugate(from));
    ov_vec3 v = ov_vec3_make(r.x, r.y, r.z);
    double sine = ov_vec3_length(v);
    if (!(sine > 0.0)) {
        return (ovi_arc){0.0, {1.0, 0.0, 0.0}};
    }
    return (ovi_arc){atan2(sine, r.w), {v.x / sine, v.y / sine, v.z / sine}};
}

/** Bound of the angular speed of segment i. */
static double speed_of(const ovi_slerp *slerp, size_t i) {
    return (2.0 * slerp->arcs[i].half + SPIN_ERROR) / (slerp->times[i + 1] - slerp->times[i]) *
           GROWTH;
}

ov_status ovi_slerp_finish(ovi_slerp *slerp, size_t *key) {
    size_t unused, *blame = key != NULL ? key : &unused, leaves = slerp->count - 1;
    ov_quat before = ov_quat_identity(); // as given
    bool turned = false;
    for (size_t i = 0; i < slerp->count; i++) {
        *blame = i;
        ov_quat given = slerp->rotations[i], *unit = &slerp->rotations[i];
        ov_status status = ov_quat_normalize(given, unit);
        if (status != OV_OK) {
            return status;
        }
        turned = i > 0 && is_opposite(before, given) ? !turned : turned;
        before = given;
        if (turned) {
            *unit = (ov_quat){-unit->w, -unit->x, -unit->y, -unit->z};
        }
        if (i > 0) {
            slerp->arcs[i - 1] = arc_between(unit[-1], *unit);
            double speed = speed_of(slerp, i - 1);
            if (!(speed <= SPEED_MAX)) {
                return OV_ERROR_TIME;
            }
            slerp->tree[leaves + i - 1] = speed;
        }
    }
    ovi_maxima_build(slerp->tree, leaves, 1);
    return OV_OK;
}

/* ---- asking */

static bool rests(const ovi_slerp *slerp, ptrdiff_t segment) {
    return segment < 0 || segment >= (ptrdiff_t)slerp->count - 1;
}

ov_quat ovi_slerp_at(const ovi_slerp *slerp, ptrdiff_t segment, double time) {
    if (rests(slerp, segment)) {
        return slerp->rotations[segment < 0 ? 0 : slerp->count - 1];
    }
    const double *t = slerp->times + segment;
    const ovi_arc *arc = slerp->arcs + segment;
    double w = (time - t[0]) / (t[1] - t[0]), half = (w < 0.0   ? 0.0
                                                      : w > 1.0 ? 1.0
                                                                : w) *
                                                     arc->half;
    double s = sin(half);
    return ov_quat_mul((ov_quat){cos(half), s * arc->axis.x, s * arc->axis.y, s * arc->axis.z},
                       slerp->rotations[segment]);
}

static ov_vec3 spin_of(const ovi_slerp *slerp, ptrdiff_t segment) {
    if (rests(slerp, segment)) {
        return ov_vec3_make(0.0, 0.0, 0.0);
    }
    const double *t = slerp->times + segment;
    const ovi_arc *arc = slerp->arcs + segment;
    return ov_vec3_scale(arc->axis, 2.0 * arc->half / (t[1] - t[0]));
}

/** How far a computed spin may be off. */
static double spin_error_of(const ovi_slerp *slerp, ptrdiff_t segment) {
    const double *t = slerp->times + segment;
    return rests(slerp, segment) ? 0.0 : SPIN_ERROR / (t[1] - t[0]) * GROWTH;
}

double ovi_slerp_rate(const ovi_slerp *slerp, const ovi_spline_interval *interval) {
    size_t leaves = slerp->count - 1;
    size_t from = interval->first < 0 ? 0 : (size_t)interval->first;
    size_t to = interval->last < 0 ? 0 : (size_t)interval->last + 1;
    double most = ovi_maxima_of(slerp->tree, leaves, 1, 0, from, to < leaves ? to : leaves);
    return most > 0.0 ? most : 0.0;
}

/** How much the spin jumps at a knot. */
static double jump_at(const ovi_slerp *slerp, ptrdiff_t knot) {
    ov_vec3 jump = ov_vec3_sub(spin_of(slerp, knot), spin_of(slerp, knot - 1));
    return (ov_vec3_length(jump) + spin_error_of(slerp, knot) + spin_error_of(slerp, knot - 1)) *
           GROWTH;
}

/** As in spline.c: the spin at the middle goes on, with a jump at the key next to it. */
static void add_jumps(const ovi_slerp *slerp, const ovi_spline_interval *interval,
                      ovi_slerp_taylor *taylor) {
    bool far = interval->first < interval->segment - 1 || interval->last > interval->segment + 1;
    bool still = rests(slerp, interval->segment);
    double jump = 0.0, rate = ovi_slerp_rate(slerp, interval);
    for (ptrdiff_t i = 0; i < 2 && !far && !still; i++) {
        ptrdiff_t knot = interval->segment + i;
        if (knot > interval->first && knot <= interval->last) {
            double part = ovi_spline_beyond(interval->middle, interval->radius, slerp->times[knot]);
            jump = fmax(jump, jump_at(slerp, knot) * part);
        }
    }
    double spin_error = taylor->spin_error + jump;
    if (still || far || ov_vec3_length(taylor->spin) + spin_error > OVI_JUMP_PATIENCE * rate) {
        taylor->spin = ov_vec3_make(0.0, 0.0, 0.0);
        taylor->rotation_acceleration = 0.0; // the rate bounds it all
        spin_error = rate;
        if (still) {
            double nearest = slerp->times[interval->segment < 0 ? 0 : slerp->count - 1];
            spin_error *= ovi_spline_beyond(interval->middle, interval->radius, nearest);
        }
    }
    taylor->spin_error = spin_error * GROWTH;
}

void ovi_slerp_taylor_of(const ovi_slerp *slerp, const ovi_spline_interval *interval,
                         ovi_slerp_taylor *taylor) {
    taylor->rotation = ovi_slerp_at(slerp, interval->segment, interval->middle);
    taylor->spin = spin_of(slerp, interval->segment);
    taylor->rotation_error = ROTATION_ERROR;
    taylor->spin_error = spin_error_of(slerp, interval->segment);
    double speed =
        rests(slerp, interval->segment) ? 0.0 : speed_of(slerp, (size_t)interval->segment);
    taylor->rotation_acceleration = speed * speed * GROWTH;
    if (interval->first < interval->last) {
        add_jumps(slerp, interval, taylor);
    }
}
