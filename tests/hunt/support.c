/*
 * Hunt for support values of tapered bodies that are too small, too large, or without a point.
 *
 * The shapes are those where the search for the highest section is hardest: tapers within 1e-2 to
 * 1e-15 of 1, equal and unequal, exponents at both ends. The directions are normal to the surface
 * at a height near a pole or the equator, or across a chord between two such heights, so that two
 * tops are about equally high.
 *
 * A value is too small where a surface point stands above it by more than CLAIM of the bounding
 * ball's reach: the point is named, so nothing else need be believed. It is too large where its own
 * point does not have it; and that point must be on the body.
 */
#include <math.h>

#include "hunt.h"

/** What the certificate allows for a support value and point of a superovoid: docs/theory. */
#define CLAIM 2e-13L

enum { DIRECTIONS = 24 };

static double near_one(stream *r) {
    return draw_index(r, 5) == 0 ? draw_between(r, 0.3, 0.99) : 1.0 - draw_log(r, 1.2e-16, 1e-2);
}

static double hard_exponent(stream *r) {
    switch (draw_index(r, 4)) {
    case 0:
        return draw_between(r, 0.1, 1.9);
    case 1:
        return 2.0 - draw_log(r, 1e-12, 0.1);
    case 2:
        return draw_log(r, 0.5e-3, 2e-3);
    default:
        return draw_log(r, 1e-3, 1.0);
    }
}

static bool make_hard(stream *r, drawn *d, hunt *h) {
    for (int i = 0; i < 100; i++) {
        draw_parameters(r, DRAW_SUPEROVOID, 1.0, draw_index(r, 2) ? TAME : WILD, d);
        if (draw_index(r, 2)) {
            d->p[0] = d->p[1] = d->p[2] = 1.0;
        }
        d->p[3] = hard_exponent(r);
        d->p[4] = hard_exponent(r);
        d->p[5] = draw_sign(r) * near_one(r);
        d->p[6] = draw_index(r, 3) == 0 ? draw_sign(r) * d->p[5] : draw_sign(r) * near_one(r);
        ov_status status = drawn_make(d);
        if (status >= 0) {
            return true;
        }
        figure_add(h, FIGURE_SHAPES_REFUSED, 1);
        if (status != OV_ERROR_DENT) {
            FILE *f = finding_begin(h, FINDING_REFUSED, false, 0.0);
            if (f != NULL) {
                fprintf(f, "  constructor: %s\n", ov_status_message(status));
                drawn_print(f, "a", d);
                finding_end(f);
            }
        }
    }
    return false;
}

/** A height: near a pole, near the equator, or anywhere. */
static real draw_height(stream *r, int *side) {
    *side = draw_index(r, 2) ? 1 : -1;
    switch (draw_index(r, 3)) {
    case 0:
        return draw_log(r, 1e-18, 0.5);
    case 1:
        return 1.0L - draw_log(r, 1e-12, 0.5);
    default:
        return draw_between(r, 0.0, 1.0);
    }
}

/** Across a chord, or the normal: the chord of two near heights. */
static ov_vec3 draw_direction(stream *r, const body *b) {
    int s1, s2;
    real t1 = draw_height(r, &s1), t2 = draw_height(r, &s2);
    double phi = draw_index(r, 2) ? draw_between(r, 0.0, 6.3)
                                  : 0.785398163397448 * (2 * draw_index(r, 4) + 1) +
                                        draw_sign(r) * draw_log(r, 1e-12, 1e-1);
    if (draw_index(r, 3) == 0) {
        phi = 1.5707963267948966 * draw_index(r, 4) + draw_sign(r) * draw_log(r, 1e-12, 1e-1);
    }
    if (draw_index(r, 2)) {
        s2 = s1;
        t2 = t1 * (1.0L + 1e-7L);
    }
    real c = cosl(phi), s = sinl(phi);
    // heights of the section's support along (c, s): the curve whose chord is taken
    real z1 = b->a.z * (real)s1 * (1.0L - t1), z2 = b->a.z * (real)s2 * (1.0L - t2);
    real m1 = body_tapered_height(b, rv(c, s, 0.0L), s1, t1);
    real m2 = body_tapered_height(b, rv(c, s, 0.0L), s2, t2);
    real dz = z1 - z2;
    if (s1 == s2) {
        dz = b->a.z * (real)s1 * (t2 - t1);
    }
    // n.z z1 + k m1 = n.z z2 + k m2
    real k = fabsl(dz), nz = dz > 0.0L ? m2 - m1 : m1 - m2;
    real length = sqrtl(k * k + nz * nz);
    if (!(length > 0.0L)) {
        return draw_unit(r);
    }
    double scale = draw_index(r, 8) == 0 ? draw_log(r, 1e-6, 1e6) : 1.0;
    return (ov_vec3){(double)(k * c / length) * scale, (double)(k * s / length) * scale,
                     (double)(nz / length) * scale};
}

static void report(hunt *h, finding what, bool directed, real excess, const drawn *d, ov_vec3 n,
                   ov_support got, real best, rvec at) {
    FILE *f = finding_begin(h, what, directed, (double)excess);
    if (f == NULL) {
        return;
    }
    drawn_print(f, "a", d);
    fprintf(f, "  ov_vec3 n = {%.17g, %.17g, %.17g};\n", n.x, n.y, n.z);
    fprintf(f, "  value %.17g at (%.17g, %.17g, %.17g)\n", got.value, got.point.x, got.point.y,
            got.point.z);
    fprintf(f, "  oracle %.21Lg at (%.21Lg, %.21Lg, %.21Lg)\n", best, at.x, at.y, at.z);
    finding_end(f);
}

static void check_support(hunt *h, const drawn *d, ov_vec3 n, int mode) {
    ov_support got;
    fesetround(mode);
    ov_status status = ov_shape_support(&d->shape, n, &got);
    fesetround(FE_TONEAREST);
    figure_add(h, FIGURE_SUPPORTS, 1);
    rvec at, m = rv_from(n);
    real length = rv_length(m),
         reach = d->shape.ball.radius + rv_length(rv_from(d->shape.ball.centre));
    real best = body_support(&d->oracle, m, &at);
    bool directed = mode != FE_TONEAREST;
    if (status < 0) {
        bool ok = directed && h->options->rounding_refusal_ok;
        figure_add(h, FIGURE_ROUNDING_REFUSED, ok);
        if (!ok) {
            report(h, FINDING_REFUSED, directed, 0.0L, d, n, got, best, at);
        }
        return;
    }
    real low = (best - got.value) / (length * reach);
    real error = ORACLE_ERROR * d->oracle.reach / reach;
    if (low > CLAIM + error || isnan(got.value)) {
        report(h, FINDING_SUPPORT_LOW, directed, low, d, n, got, best, at);
    } else if (low > CLAIM) {
        figure_add(h, FIGURE_UNSURE, 1);
    }
    real high = (got.value - rv_dot(m, rv_from(got.point))) / (length * reach);
    if (!(fabsl(high) <= CLAIM)) {
        report(h, FINDING_SUPPORT_HIGH, directed, fabsl(high), d, n, got, best, at);
    }
    placed here = {&d->oracle, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
    real off = point_outside(&here, rv_from(got.point), CLAIM * reach) / reach;
    if (!(off <= CLAIM + error)) {
        report(h, FINDING_SUPPORT_POINT, directed, off, d, n, got, best, at);
    }
}

void hunt_support_unit(hunt *h) {
    static const int modes[] = {FE_TONEAREST, FE_TONEAREST, FE_TONEAREST, FE_TONEAREST,
                                FE_TONEAREST, FE_DOWNWARD,  FE_UPWARD,    FE_TOWARDZERO};
    static drawn d;
    stream r = stream_of(h->options->seed, h->unit);
    if (!make_hard(&r, &d, h)) {
        return;
    }
    for (int i = 0; i < DIRECTIONS; i++) {
        check_support(h, &d, draw_direction(&r, &d.oracle), modes[draw_index(&r, 8)]);
    }
}
