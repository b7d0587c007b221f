/*
 * Hunt for false answers of casts and rays: shapes of all kinds that are translated towards, past
 * and along each other, and rays at every kind.
 *
 * The gap of two convex bodies is a convex function of how far one is translated, so its least
 * value is found by golden sections. What a finding is proven by:
 *   FREE        a common point of the bodies somewhere on a way that is said to miss
 *   early       a common point before the fraction or distance that is proven free
 *   no contact  a direction that keeps the bodies apart, by more than rounding, where they are said
 *               to be in contact
 */
#include <math.h>
#include <string.h>

#include "hunt.h"

enum { CASES = 16, SECTIONS = 40, BEFORE = 4 };

typedef struct cast_case {
    drawn a, b;
    ov_pose pose_a, pose_b;
    ov_vec3 way; /**< translation of A; of a ray: its direction, any length */
    double reach;
    bool ray; /**< B alone, and a ray from A's position */
    placed pa, pb;
    real rounding, size;
} cast_case;

/* ---- drawing --------------------------------------------------------------------------------- */

/** Across a unit vector, to rounding. */
static ov_vec3 draw_across(stream *r, ov_vec3 u) {
    for (;;) {
        ov_vec3 m = ov_vec3_cross(u, draw_unit(r));
        double length = sqrt(ov_vec3_dot(m, m));
        if (length > 0.1) {
            return ov_vec3_scale(m, 1.0 / length);
        }
    }
}

static ov_vec3 axis_of(ov_pose pose, unsigned i) {
    return ov_quat_rotate(pose.rotation, (ov_vec3){i == 0, i == 1, i == 2});
}

/** B beside the way of A, ahead of it: so that A grazes it, by a little more or less, or hits. */
static void draw_way(stream *r, cast_case *c) {
    double size = fmax((double)c->a.oracle.reach, (double)c->b.oracle.reach);
    size = size > 0.0 ? size : 1.0;
    ov_vec3 u = draw_index(r, 3) ? draw_unit(r) : axis_of(c->pose_a, draw_index(r, 3));
    ov_vec3 m = draw_across(r, u);
    c->pose_b.position = c->pose_a.position;
    c->pa = placed_at(&c->a, c->pose_a);
    c->pb = placed_at(&c->b, c->pose_b);
    double beside = 0.0;
    switch (draw_index(r, 4)) {
    case 0: // through the middle
        beside = size * draw_between(r, -0.1, 0.1);
        break;
    case 1: // grazing
        beside = size * draw_sign(r) * (draw_index(r, 4) ? draw_log(r, 1e-17, 1e-6) : 0.0) -
                 (double)pair_height(&c->pa, &c->pb, rv_from(m), NULL);
        break;
    default:
        beside = -(double)pair_height(&c->pa, &c->pb, rv_from(m), NULL) * draw_between(r, 0.0, 1.2);
    }
    double start = -(double)pair_height(&c->pa, &c->pb, rv_from(u), NULL);
    double ahead = draw_index(r, 8) ? start + size * draw_log(r, 1e-9, 10.0)
                                    : start * draw_between(r, -1.0, 1.0);
    c->pose_b.position =
        ov_vec3_add_scaled(ov_vec3_add_scaled(c->pose_a.position, u, ahead), m, beside);
    double length =
        fabs(ahead) * (draw_index(r, 3) ? draw_between(r, 0.2, 3.0) : draw_log(r, 1.0, 1e6));
    length = length > 0.0 ? length : size;
    c->way = ov_vec3_scale(u, c->ray ? draw_log(r, 1e-3, 1e3) : length);
    c->reach = c->ray && draw_index(r, 3) ? INFINITY : length;
}

static void draw_case(stream *r, hunt *h, cast_case *c) {
    double size = draw_size(r), other = draw_index(r, 3) ? size : size * draw_log(r, 1e-4, 1e4);
    bool with_features = draw_index(r, 3) == 0;
    c->ray = draw_index(r, 3) == 0;
    do {
        draw_shape(r, h, true, with_features, size, &c->b);
    } while (c->ray && c->b.kind > DRAW_POLYHEDRON);
    if (c->ray) {
        draw_parameters(r, DRAW_POINT, size, TAME, &c->a);
        c->a.vertices[0] = (ov_vec3){0.0, 0.0, 0.0};
        (void)drawn_make(&c->a);
    } else {
        draw_shape(r, h, false, with_features, other, &c->a);
    }
    double far = draw_index(r, 2) ? size * draw_log(r, 1.0, 1e4) : 0.0;
    c->pose_a = (ov_pose){ov_vec3_scale(draw_unit(r), far), draw_rotation(r)};
    c->pose_b = (ov_pose){{0.0, 0.0, 0.0}, draw_rotation(r)};
    draw_way(r, c);
    c->pa = placed_at(&c->a, c->pose_a);
    c->pb = placed_at(&c->b, c->pose_b);
    real share_a = c->a.shape.kind == OV_SHAPE_KIND_SUPEROVOID ? 2e-13L : 6e-14L;
    real share_b = c->b.shape.kind == OV_SHAPE_KIND_SUPEROVOID ? 2e-13L : 6e-14L;
    real offset = rv_length(rv_sub(c->pb.position, c->pa.position));
    c->rounding = share_a * c->a.oracle.reach + share_b * c->b.oracle.reach + 1e-150L +
                  7.2e-15L * (offset + rv_length(c->pa.position) + rv_length(c->pb.position));
    // from B's centre, so that places far away cost the oracle no digits
    c->pa.position = rv_sub(c->pa.position, c->pb.position);
    c->pb.position = rv(0.0L, 0.0L, 0.0L);
    c->size = fmaxl(fmaxl(c->a.oracle.reach, c->b.oracle.reach), 1e-300L);
}

/* ---- the oracle ------------------------------------------------------------------------------ */

/** A when it is a part of its way on; of a ray: a length. */
static placed moved(const cast_case *c, real on) {
    placed a = c->pa;
    rvec way = rv_from(c->way);
    a.position = rv_add(a.position, rv_scale(c->ray ? rv_unit(way) : way, on));
    return a;
}

/** Bounds of the gap there. */
static gap_bounds gap_at(const cast_case *c, real on) {
    placed a = moved(c, on);
    return c->b.kind == DRAW_HALFSPACE ? pair_halfspace(&a, &c->pb)
                                       : pair_gap(&a, &c->pb, rv(0.0L, 0.0L, 0.0L), INFINITY);
}

/** Where on the way the gap is least, up to `end`; stops at a common point, or where it is clear
 *  that there is none. */
static real least_on_way(const cast_case *c, real end) {
    const real golden = 0.61803398874989484820L;
    real lo = 0.0L, hi = end, x = hi - golden * hi, y = golden * hi;
    real speed = c->ray ? 1.0L : rv_length(rv_from(c->way));
    gap_bounds at_x = gap_at(c, x), at_y = gap_at(c, y);
    for (int i = 0; i < SECTIONS && !at_x.common && !at_y.common; i++) {
        if (fminl(at_x.lower, at_y.lower) > speed * (hi - lo)) {
            break; // so near nothing can meet
        }
        bool left = at_x.upper < at_y.upper;
        *(left ? &hi : &lo) = left ? y : x;
        if (left) {
            y = x, at_y = at_x;
            x = hi - golden * (hi - lo), at_x = gap_at(c, x);
        } else {
            x = y, at_x = at_y;
            y = lo + golden * (hi - lo), at_y = gap_at(c, y);
        }
    }
    return at_x.common || at_x.upper < at_y.upper ? x : y;
}

/* ---- asking and checking --------------------------------------------------------------------- */

typedef struct cast_answer {
    ov_status status;
    bool hit;
    double lower, upper; /**< fractions; of a ray: lengths */
    int mode;
} cast_answer;

static void tell(hunt *h, finding what, const cast_case *c, const cast_answer *n, real at,
                 real excess) {
    FILE *f = finding_begin(h, what, n->mode != FE_TONEAREST, (double)(excess / c->size));
    if (f == NULL) {
        return;
    }
    fprintf(f, "  // %s at %s; %s, %s in [%.17g, %.17g], oracle's at %.21Lg\n",
            c->ray ? "ray" : draw_kind_name(c->a.kind), draw_kind_name(c->b.kind),
            ov_status_name(n->status), n->hit ? "hit" : "no hit", n->lower, n->upper, at);
    drawn_print(f, "a", &c->a);
    drawn_print(f, "b", &c->b);
    pose_print(f, "pose_a", c->pose_a);
    pose_print(f, "pose_b", c->pose_b);
    fprintf(f, "  ov_vec3 way = {%.17g, %.17g, %.17g}; double reach = %.17g;\n", c->way.x, c->way.y,
            c->way.z, c->reach);
    finding_end(f);
}

static cast_answer ask(stream *r, const cast_case *c, int mode) {
    cast_answer n = {.mode = mode};
    ov_pair_options o = ov_default_pair_options();
    if (draw_index(r, 2)) {
        o.tolerance = draw_log(r, OV_TOLERANCE_MIN, OV_TOLERANCE_MAX);
    }
    fesetround(mode);
    if (c->ray) {
        ov_ray_hit hit;
        n.status = ov_ray_cast(&c->b.shape, c->pose_b, c->pose_a.position, c->way, c->reach, &hit);
        n.hit = hit.hit;
        n.lower = hit.distance_lower;
        n.upper = hit.distance_upper;
    } else {
        ov_cast_hit hit;
        n.status = ov_shape_cast(&c->a.shape, c->pose_a, c->way, &c->b.shape, c->pose_b, &o, &hit);
        n.hit = hit.hit;
        n.lower = hit.fraction_lower;
        n.upper = hit.fraction_upper;
    }
    fesetround(FE_TONEAREST);
    return n;
}

static void check_hit(hunt *h, stream *r, const cast_case *c, const cast_answer *n) {
    if (!(n->lower >= 0.0 && n->lower <= n->upper && isfinite(n->upper))) {
        tell(h, FINDING_CROSSED, c, n, 0.0L, 0.0L);
        return;
    }
    gap_bounds there = gap_at(c, n->upper);
    // where the bodies only come near, the end of a fraction is rounded by the length of the way
    real length = c->ray ? 1.0L : rv_length(rv_from(c->way));
    real rounding = 4.0L * c->rounding + 4e-16L * length * n->upper;
    if (there.lower > rounding && c->b.kind != DRAW_HALFSPACE) {
        placed a = moved(c, n->upper); // a missed top of a tapered body could be to blame
        there.lower = pair_height_careful(&a, &c->pb, there.normal);
    }
    if (there.lower > rounding) {
        tell(h, FINDING_NO_CONTACT, c, n, n->upper, there.lower - rounding);
    }
    for (int i = 0; i < BEFORE; i++) {
        real back = i == 0   ? 1e-15L
                    : i == 1 ? (real)draw_log(r, 1e-15, 1.0)
                             : draw_between(r, 0, 1);
        real at = n->lower * (1.0L - back);
        if (n->lower > 0.0 && gap_at(c, at).common) {
            tell(h, FINDING_EARLY, c, n, at, 0.0L);
            return;
        }
    }
}

static void check_answer(hunt *h, stream *r, const cast_case *c, const cast_answer *n) {
    figure_add(h, FIGURE_CASTS, 1);
    if (n->status < 0) {
        tell(h, FINDING_REFUSED, c, n, 0.0L, 0.0L);
        return;
    }
    if (n->hit) {
        figure_add(h, FIGURE_HITS, 1);
        check_hit(h, r, c, n);
        return;
    }
    figure_add(h, n->status == OV_OK ? FIGURE_MISSES : FIGURE_CAST_UNDECIDED, 1);
    real end = c->ray ? fminl(c->reach,
                              10.0L * (c->size + rv_length(rv_sub(c->pb.position, c->pa.position))))
                      : 1.0L;
    if (n->status == OV_OK) {
        real at = least_on_way(c, end);
        if (gap_at(c, at).common) {
            tell(h, FINDING_FREE, c, n, at, 0.0L);
        }
    } else if (n->lower > 0.0) {
        real at = least_on_way(c, fminl(end, n->lower));
        if (gap_at(c, at).common) {
            tell(h, FINDING_EARLY, c, n, at, 0.0L);
        }
    }
}

void hunt_casts_unit(hunt *h) {
    static const int modes[4] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
    static cast_case c;
    stream r = stream_of(h->options->seed, h->unit);
    for (size_t i = 0; i < CASES; i++) {
        draw_case(&r, h, &c);
        for (int k = 0; k < 2; k++) {
            cast_answer n = ask(&r, &c, k == 0 ? FE_TONEAREST : modes[draw_index(&r, 4)]);
            check_answer(h, &r, &c, &n);
        }
    }
}
