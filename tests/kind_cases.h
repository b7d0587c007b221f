/**
 * @file kind_cases.h
 * @brief Random placed bodies of every bounded convex kind, and what must hold of each contact of
 * two of them, told in long double.
 *
 * The supports are those of pair_supports.h, which share nothing with the library. With them
 *
 *     g(n) = n.(cB - cA) - hA(n) - hB(-n)
 *
 * is below the gap for every unit n, so an upper bound below any g(n) is false, and a lower bound
 * no more than g of the contact's own normal is true: that is what the normal is handed out for.
 */
#ifndef OVOID_TESTS_KIND_CASES_H
#define OVOID_TESTS_KIND_CASES_H

#include <float.h>

#include "pair_oracle.h"

enum { KC_CORNERS = 24 };

static const ov_shape_kind kc_kinds[] = {
    OV_SHAPE_KIND_SPHERE,     OV_SHAPE_KIND_ELLIPSOID, OV_SHAPE_KIND_SUPERELLIPSOID,
    OV_SHAPE_KIND_SUPEROVOID, OV_SHAPE_KIND_BOX,       OV_SHAPE_KIND_CAPSULE,
    OV_SHAPE_KIND_CYLINDER,   OV_SHAPE_KIND_CONE,      OV_SHAPE_KIND_TRIANGLE,
    OV_SHAPE_KIND_POLYHEDRON, OV_SHAPE_KIND_SEGMENT,   OV_SHAPE_KIND_POINT,
    OV_SHAPE_KIND_CUSTOM,
};
enum { KC_KINDS = sizeof kc_kinds / sizeof kc_kinds[0] };

/** A body with all that its shape refers to: it must not move. */
typedef struct kc_body {
    ov_shape shape;
    ov_pose pose;
    po_body oracle;
    ov_vec3 corners[KC_CORNERS];
    ov_vec3 axes;      // of a custom body, an ellipsoid
    bool holds_centre; // is the origin of its frame one of its points?
} kc_body;

static inline ov_vec3 kc_custom_support(const void *user, ov_vec3 n) {
    const ov_vec3 *a = user;
    ov_vec3 m = ov_vec3_mul(*a, n);
    return ov_vec3_scale(ov_vec3_mul(*a, m), 1.0 / ov_vec3_length(m));
}

/* ---- shapes */

static inline double kc_exponent(check_random *r) {
    const double some[] = {1.0, 0.3, 1.5, 2.0, 0.05};
    uint64_t draw = check_random_bits(r) % 8;
    return draw < 5 ? some[draw] : check_uniform(r, 0.1, 1.9);
}

/** Lengths up to `size`: round ones, now and then all the same, or one of them small. */
static inline ov_vec3 kc_lengths(check_random *r, double size) {
    const double some[] = {1.0, 1.0, 0.5, 0.1, 0.01, 0.25};
    uint64_t draw = check_random_bits(r) % 8;
    if (draw >= 4) {
        return ov_vec3_make(size * some[check_random_bits(r) % 6],
                            size * some[check_random_bits(r) % 6],
                            size * some[check_random_bits(r) % 6]);
    }
    double least = draw == 0 ? 1.0 : draw == 1 ? 0.01 : 0.2;
    return ov_vec3_make(size * check_log_uniform(r, least, 1.0),
                        size * check_log_uniform(r, least, 1.0),
                        size * check_log_uniform(r, least, 1.0));
}

static inline ov_vec3 kc_in_box(check_random *r, ov_vec3 half) {
    return ov_vec3_make(check_uniform(r, -half.x, half.x), check_uniform(r, -half.y, half.y),
                        check_uniform(r, -half.z, half.z));
}

/** The corners of a box, or a cloud with the opposite of each of its points: the centre is in. */
static inline ov_status kc_make_polyhedron(check_random *r, ov_vec3 half, kc_body *b) {
    bool box = check_random_bits(r) % 3 == 0;
    size_t count = box ? 8 : 6 + 2 * (size_t)(check_random_bits(r) % 10);
    for (size_t i = 0; i < count; i += 2) {
        ov_vec3 p = ov_vec3_mul(half, check_unit_vector(r));
        if (box) {
            p = ov_vec3_make(half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
        }
        b->corners[i] = p;
        b->corners[i + 1] = ov_vec3_neg(p);
    }
    return ov_shape_make_polyhedron(b->corners, count, NULL, 0, &b->shape);
}

/** About the centre, so that flat bodies at one centre cross there, or away from it. */
static inline ov_status kc_make_flat(check_random *r, ov_shape_kind kind, ov_vec3 half,
                                     kc_body *b) {
    b->holds_centre = check_random_bits(r) % 4 != 0;
    ov_vec3 p = kc_in_box(r, half), q = b->holds_centre ? ov_vec3_neg(p) : kc_in_box(r, half);
    if (kind == OV_SHAPE_KIND_POINT) {
        p = b->holds_centre ? ov_vec3_make(0.0, 0.0, 0.0) : p;
        return ov_shape_make_point(p, &b->shape);
    }
    if (kind == OV_SHAPE_KIND_SEGMENT) {
        return ov_shape_make_segment(p, q, &b->shape);
    }
    return ov_shape_make_triangle(p, q, kc_in_box(r, half), &b->shape);
}

static inline ov_status kc_make_superovoid(check_random *r, ov_vec3 a, kc_body *b) {
    double e1 = kc_exponent(r), e2 = kc_exponent(r);
    double tx = check_uniform(r, -0.9, 0.9), ty = check_uniform(r, -0.9, 0.9);
    ov_status status = OV_ERROR_DENT;
    for (int i = 0; i < 40 && status == OV_ERROR_DENT; i++, tx *= 0.7, ty *= 0.7) {
        status = ov_shape_make_superovoid(a, e1, e2, tx, ty, NULL, &b->shape);
    }
    return status;
}

static inline ov_status kc_try_shape(check_random *r, ov_shape_kind kind, double size, kc_body *b) {
    ov_vec3 a = kc_lengths(r, size);
    b->holds_centre = true;
    switch (kind) {
    case OV_SHAPE_KIND_SPHERE:
        return ov_shape_make_sphere(a.x, &b->shape);
    case OV_SHAPE_KIND_ELLIPSOID:
        return ov_shape_make_ellipsoid(a, &b->shape);
    case OV_SHAPE_KIND_SUPERELLIPSOID:
        return ov_shape_make_superellipsoid(a, kc_exponent(r), kc_exponent(r), &b->shape);
    case OV_SHAPE_KIND_SUPEROVOID:
        return kc_make_superovoid(r, a, b);
    case OV_SHAPE_KIND_BOX:
        return ov_shape_make_box(a, &b->shape);
    case OV_SHAPE_KIND_CAPSULE:
        return ov_shape_make_capsule(a.x, a.z, &b->shape);
    case OV_SHAPE_KIND_CYLINDER:
        return ov_shape_make_cylinder(a.x, a.z, &b->shape);
    case OV_SHAPE_KIND_CONE:
        return ov_shape_make_cone(a.x, a.z, &b->shape);
    case OV_SHAPE_KIND_POLYHEDRON:
        return kc_make_polyhedron(r, a, b);
    case OV_SHAPE_KIND_CUSTOM: {
        b->axes = a;
        ov_ball ball = {{0.0, 0.0, 0.0}, 1.001 * fmax(a.x, fmax(a.y, a.z))};
        return ov_shape_make_custom(kc_custom_support, &b->axes, ball, &b->shape);
    }
    default:
        return kc_make_flat(r, kind, a, b);
    }
}

static inline void kc_shape(check_random *r, ov_shape_kind kind, double size, kc_body *b) {
    while (kc_try_shape(r, kind, size, b) != OV_OK) {
    }
    po_make(&b->shape, &b->oracle);
}

/** The oracle sees both from A's position, so that the place in the world costs no digits. */
static inline void kc_place(kc_body *a, ov_pose pose_a, kc_body *b, ov_pose pose_b) {
    a->pose = pose_a;
    b->pose = pose_b;
    po_move(&a->oracle, pose_a);
    po_move(&b->oracle, pose_b);
    b->oracle.centre = po_sub(b->oracle.centre, a->oracle.centre);
    a->oracle.centre = (so_vec){0.0L, 0.0L, 0.0L};
}

/** Random ones, and those that line axes up; not all of unit length. */
static inline ov_quat kc_rotation(check_random *r) {
    const ov_quat some[] = {{1.0, 0.0, 0.0, 0.0},
                            {0.5, 0.5, 0.5, 0.5},
                            {0.0, 0.0, 0.0, 1.0},
                            {1.0, 1.0, 0.0, 0.0},
                            {5.0, -3.0, 2.0, 1.0}};
    uint64_t draw = check_random_bits(r) % 8;
    return draw < 5 ? some[draw] : check_rotation(r);
}

/* ---- printing a pair that failed */

static inline void kc_print_body(const kc_body *b) {
    const ov_shape *s = &b->shape;
    const ov_vec3 *v = s->u.vertices;
    ov_vec3 p = b->pose.position;
    ov_quat q = b->pose.rotation;
    fprintf(stderr, "  %s (%.17g, %.17g, %.17g) e (%.17g, %.17g) t (%.17g, %.17g)",
            ov_shape_kind_name(s->kind), s->a.x, s->a.y, s->a.z, s->e1, s->e2, s->tx, s->ty);
    size_t count = s->kind == OV_SHAPE_KIND_POINT      ? 1
                   : s->kind == OV_SHAPE_KIND_SEGMENT  ? 2
                   : s->kind == OV_SHAPE_KIND_TRIANGLE ? 3
                                                       : 0;
    if (s->kind == OV_SHAPE_KIND_POLYHEDRON) {
        v = b->corners;
        count = s->u.polyhedron.vertex_count;
    }
    for (size_t i = 0; i < count; i++) {
        fprintf(stderr, " (%.17g, %.17g, %.17g)", v[i].x, v[i].y, v[i].z);
    }
    fprintf(stderr, "\n    at (%.17g, %.17g, %.17g), turned by (%.17g, %.17g, %.17g, %.17g)\n", p.x,
            p.y, p.z, q.w, q.x, q.y, q.z);
}

static inline void kc_print(const kc_body *a, const kc_body *b, const ov_contact *c) {
    if (!check_may_print()) {
        return;
    }
    kc_print_body(a);
    kc_print_body(b);
    fprintf(stderr, "    %s, %s, gap %.17g in [%.17g, %.17g], normal (%.17g, %.17g, %.17g), ",
            ov_relation_name(c->relation), ov_status_name(c->status), c->gap, c->gap_lower,
            c->gap_upper, c->normal.x, c->normal.y, c->normal.z);
    fprintf(stderr, "points (%.17g, %.17g, %.17g) and (%.17g, %.17g, %.17g), %d iterations\n",
            c->point_a.x, c->point_a.y, c->point_a.z, c->point_b.x, c->point_b.y, c->point_b.z,
            c->iterations);
}

/* ---- what must hold */

static inline double kc_size(const kc_body *a, const kc_body *b) {
    return fmax(a->shape.ball.radius, b->shape.ball.radius);
}

/** Largest length that the rounding of doubles may be seen on, but for the place in the world. */
static inline double kc_reach(const kc_body *a, const kc_body *b) {
    ov_vec3 d = ov_vec3_sub(b->pose.position, a->pose.position);
    return a->shape.ball.radius + ov_vec3_length(a->shape.ball.centre) + b->shape.ball.radius +
           ov_vec3_length(b->shape.ball.centre) + ov_vec3_length(d);
}

/**
 * The best g(n) of some even directions, the axes of both bodies and what lies about them. Supports
 * of dented bodies take the oracle much longer: of them a few directions have to do.
 */
static inline po_start kc_best_span(const kc_body *a, const kc_body *b, int even, int steps) {
    so_vec special[PO_SPECIAL];
    int count = po_special_directions(&a->oracle, &b->oracle, special);
    bool slow = !a->oracle.one_maximum || !b->oracle.one_maximum;
    po_start best = {{0.0L, 0.0L, 1.0L}, (so_real)INFINITY};
    for (int i = 0; i < count + even; i += slow ? 7 : 1) {
        so_real z = 1.0L - (2.0L * i + 1.0L) / (count + even), x = sqrtl(1.0L - z * z);
        so_vec n = {x * cosl(2.3999632L * i), x * sinl(2.3999632L * i), z};
        n = i < count ? special[i] : n;
        so_real s = po_depth_along(&a->oracle, &b->oracle, n);
        best = s < best.s ? (po_start){n, s} : best;
    }
    return slow ? best
                : po_downhill(&a->oracle, &b->oracle, best, 0.05L, steps, 1e-14L * kc_size(a, b),
                              false);
}

static inline bool kc_is_whole(const ov_contact *c) {
    return isfinite(c->gap) && isfinite(c->gap_lower) && isfinite(c->gap_upper) &&
           ov_vec3_is_finite(c->point_a) && ov_vec3_is_finite(c->point_b) &&
           fabs(ov_vec3_length(c->normal) - 1.0) <= 1e-14;
}

/** Is the contact one, and are its bounds in order and its relation what they say? */
static inline bool kc_check_form(const ov_contact *c) {
    bool good = CHECK(c->status >= OV_OK) && CHECK(kc_is_whole(c));
    good = good && CHECK(c->gap_lower <= c->gap && c->gap <= c->gap_upper);
    good = good && CHECK(c->relation != OV_RELATION_SEPARATED || c->gap_lower > 0.0);
    good = good && CHECK(c->relation != OV_RELATION_OVERLAPPING || c->gap_upper <= 0.0);
    return good && CHECK(c->status != OV_OK || c->relation != OV_RELATION_UNDECIDED);
}

/** A unit vector in long double: what is left of a normal's own rounding is no error of a bound. */
static inline so_vec kc_normal(const ov_contact *c) { return po_unit(so_from(c->normal)); }

/** Bounds of a contact, `depth` being the least that is known of -gap. */
static inline bool kc_check_bounds(const kc_body *a, const kc_body *b, so_real depth,
                                   const ov_contact *c) {
    so_real ulps = 1e-17L * kc_reach(a, b);
    so_real own = po_separation_along(&a->oracle, &b->oracle, kc_normal(c)).gap;
    bool good = CHECK(c->gap_upper >= fmaxl(-depth, own) - ulps);
    return CHECK(c->gap_lower <= own + ulps) && good;
}

/* ---- witness points */

static inline so_real kc_beyond(so_real x, double half) { return fabsl(x) - half; }

/** How far a point is outside of a slab, cylinder, capsule or cone, by its faces; below zero: in.
 */
static inline so_real kc_solid_excess(const ov_shape *s, so_vec p) {
    so_real rho = hypotl(p.x, p.y), up = kc_beyond(p.z, s->a.z), slant;
    switch (s->kind) {
    case OV_SHAPE_KIND_BOX:
        return fmaxl(up, fmaxl(kc_beyond(p.x, s->a.x), kc_beyond(p.y, s->a.y)));
    case OV_SHAPE_KIND_CAPSULE:
        return hypotl(rho, fmaxl(0.0L, up)) - s->a.x;
    case OV_SHAPE_KIND_CYLINDER:
        return fmaxl(up, rho - s->a.x);
    default:
        slant = hypotl(s->a.x, 2.0L * s->a.z);
        return fmaxl(-s->a.z - p.z, (2.0L * s->a.z * rho - s->a.x * (s->a.z - p.z)) / slant);
    }
}

/** By planes: the contact's own, those close by, and some more; never above the truth. */
static inline so_real kc_plane_excess(const po_body *b, so_vec p, so_vec n) {
    so_vec side = po_unit(
        po_cross(n, fabsl(n.x) < 0.6L ? (so_vec){1.0L, 0.0L, 0.0L} : (so_vec){0.0L, 1.0L, 0.0L}));
    so_vec other = po_cross(n, side);
    so_real most = so_dot(n, p) - po_local_support(b, n).value;
    for (int i = 0; i < 40; i++) {
        so_real lean = powl(10.0L, 1.0L - i / 5), turn = 1.25663706L * (i % 5) + i;
        so_vec m = po_add(
            n, po_add(po_scale(side, lean * cosl(turn)), po_scale(other, lean * sinl(turn))));
        m = po_unit(m);
        most = fmaxl(most, so_dot(m, p) - po_local_support(b, m).value);
    }
    return most;
}

/**
 * How far a point of the world is outside of a body, below zero inside; `n` is the outward normal
 * there, or nearly so. Seen from the body, as the oracle has it.
 */
static inline so_real kc_excess(const kc_body *b, ov_vec3 point, so_vec n) {
    so_vec p = po_turn_back(&b->oracle, po_sub(so_from(point), so_from(b->pose.position)));
    const ov_shape *s = &b->shape;
    if (s->kind >= OV_SHAPE_KIND_BOX && s->kind <= OV_SHAPE_KIND_CONE) {
        return kc_solid_excess(s, p);
    }
    if (s->kind <= OV_SHAPE_KIND_SUPEROVOID && s->dent == 0.0) {
        so_vec c = so_covector(s, p);
        so_real slope = so_length((so_vec){c.x / s->a.x, c.y / s->a.y, c.z / s->a.z});
        so_real gauge = so_gauge(s, p);
        return slope > 0.0L && isfinite(slope) ? (gauge - 1.0L) * gauge / slope : 0.0L;
    }
    return kc_plane_excess(&b->oracle, p, po_turn_back(&b->oracle, n));
}

/** What rounding may do to points in the world: of their coordinates, and of what is in them. */
static inline double kc_ulps(const kc_body *a, const kc_body *b) {
    double far = ov_vec3_length(a->pose.position) + ov_vec3_length(b->pose.position);
    return 4.0 * DBL_EPSILON * far + 2e-12 * kc_reach(a, b) + 1e-160;
}

/** Has the body nothing but a support, no inside, or a hull over a dent? The planes tell of its
 *  points only that they are no deeper than the bounds are apart. */
static inline bool kc_is_loose(const ov_shape *s) {
    return (s->kind >= OV_SHAPE_KIND_POLYHEDRON && s->kind <= OV_SHAPE_KIND_CUSTOM) ||
           s->dent > 0.0;
}

/**
 * Do points, normal, gap and bounds of a contact belong together? The points are of the bodies;
 * a gap above zero is their distance, any other the part of it along the normal, and of an overlap
 * the depth along the normal to the tolerance.
 */
static inline bool kc_check_points(const kc_body *a, const kc_body *b, double tolerance,
                                   const ov_contact *c) {
    so_vec n = kc_normal(c), d = po_sub(so_from(c->point_b), so_from(c->point_a));
    so_real along = so_dot(d, n), distance = so_length(d), ulps = kc_ulps(a, b);
    bool apart = c->gap > 0.0;
    bool good = CHECK(!apart || distance <= c->gap_upper + ulps);
    good = CHECK(fabsl((apart ? distance : along) - c->gap) <= ulps) && good;
    good = CHECK(along >= c->gap_lower - ulps && along <= c->gap_upper + ulps) && good;
    so_real out_a = kc_excess(a, c->point_a, n), out_b = kc_excess(b, c->point_b, po_neg(n));
    good = CHECK(out_a <= ulps && out_b <= ulps) && good;
    so_real open = c->gap_upper - c->gap_lower, goal = tolerance * kc_size(a, b) + ulps;
    good = CHECK(c->relation != OV_RELATION_OVERLAPPING || c->gap <= c->gap_lower + goal) && good;
    good = CHECK(out_a >= -ulps - (kc_is_loose(&a->shape) ? open : 0.0L)) && good;
    return CHECK(out_b >= -ulps - (kc_is_loose(&b->shape) ? open : 0.0L)) && good;
}

#endif
